/* Everybody else who touches an item. None of them keeps a state of its own. */

/* A write that an SDK repeated, arriving after its repetition. */
inline land_late_claim(a) {
  late_claim[a] = false;
  if
  :: item[KEY(a)].status == absent -> write_claim(KEY(a), a)
  :: else
  fi
}

inline land_late_gate(a) {
  if
  :: MAY_GATE(KEY(a), late_gate[a], a) && MAY_LOCK(ORDER(late_gate[a])) -> write_gate(KEY(a), late_gate[a])
  :: else
  fi;
  late_gate[a] = NOBODY
}

/* A provider's event settles what was charged, at any later time, any number of times. */
#define IS_NEWS(op) (FAULTS && fate[op] == performed && !IS_DONE(KEY(op), op))

/* An early time-out gives an attempt's claim up while the attempt itself goes on. */
#define CAN_GIVE_UP(k) (FAULTS && (item[k].status == claimed || item[k].status == executing))
inline give_up_early(k) {
  if
  :: item[k].status == claimed -> write_absent(k)
  :: item[k].status == executing -> item[k].status = unknown
  fi
}

#if EXPIRIES > 0
/* DynamoDB deletes a settled item, or a claim finds that it has expired. */
#if defined(M_EXPIRE_OPEN)
#define MAY_EXPIRE(k) (expiries < EXPIRIES && item[k].status != absent)
#elif defined(M_SHORT_RETENTION)
#define MAY_EXPIRE(k) (expiries < EXPIRIES && item[k].status == done)
#else
#define MAY_EXPIRE(k) (expiries < EXPIRIES && item[k].status == done && NOTHING_LATE)
#endif
inline expire(k) {
  expiries++;
  if
  :: item[k].status == done -> ended++
  :: else
  fi;
  write_absent(k)
}

/* A write is under way for minutes at most, its repetitions included; an item is kept for a day. */
#define IS_LATE(a) (late_claim[a] || claiming[a])
#if ATTEMPTS > 2
#define NOTHING_LATE (!IS_LATE(1) && !IS_LATE(2) && !IS_LATE(3))
#else
#define NOTHING_LATE (!IS_LATE(1) && !IS_LATE(2))
#endif
#endif

active proctype Surroundings() {
end:
  do
#define OF_ATTEMPT(a) \
  :: atomic { late_claim[a] -> land_late_claim(a) } \
  :: atomic { late_gate[a] != NOBODY -> land_late_gate(a) } \
  :: atomic { IS_NEWS(a) -> settle(KEY(a), a, performed) }
#define OF_KEY(k) \
  :: atomic { CAN_GIVE_UP(k) -> give_up_early(k) }
  OF_ATTEMPT(1)
#if ATTEMPTS > 1
  OF_ATTEMPT(2)
#endif
#if ATTEMPTS > 2
  OF_ATTEMPT(3)
#endif
  OF_KEY(0)
#if KEYS > 1
  OF_KEY(1)
#endif
#if EXPIRIES > 0
  :: atomic { MAY_EXPIRE(0) -> expire(0) }
#endif
#ifdef LIVENESS
  :: !calm -> calm = true
#endif
  od
}
