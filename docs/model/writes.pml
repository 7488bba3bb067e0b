/*
 * The conditional writes, one atomic step each, as DynamoDB's are. Their names, T1 to T8, are those in
 * lib/idempotency/transition.ts.
 */

/* T1, where the key is free. The conditions of T1 are in the attempt that makes it. */
inline write_claim(k, me) {
  item[k].status = claimed;
  item[k].generation = me;
  item[k].owner = me;
#if EXPIRIES > 0 && defined(NO_ORDER)
  intention[me] = ended;
#endif
  check_orders()
}

inline note_claiming(me, is) {
#if EXPIRIES > 0
  claiming[me] = is;
#endif
  skip
}

inline write_absent(k) {
  item[k].status = absent;
  item[k].generation = NOBODY;
  item[k].owner = NOBODY;
  item[k].quarantined = false;
  check_orders()
}

#ifdef M_GATE_WITHOUT_OWNER
#define MAY_GATE(k, op, me) (SAME(k, op) && item[k].status == claimed)
#define HAS_GATED(k, op, me) (SAME(k, op) && item[k].status == executing)
#else
#define MAY_GATE(k, op, me) (MINE(k, op, me) && item[k].status == claimed)
#define HAS_GATED(k, op, me) (MINE(k, op, me) && item[k].status == executing)
#endif

/* T3, with the order's lock in the same transaction. The caller has checked MAY_GATE and the lock. */
inline write_gate(k, op) {
  item[k].status = executing;
  gated[op] = true;
#if !defined(NO_ORDER) && !defined(M_ORDER_WITHOUT_LOCK)
  order[ORDER(op)].by = op;
#endif
  check_orders()
}

#ifdef M_ORDER_FREED_BY_ANYBODY
#define HOLDS_LOCK(op) (!order[ORDER(op)].paid)
#else
#define HOLDS_LOCK(op) (order[ORDER(op)].by == (op) && !order[ORDER(op)].paid)
#endif

#ifdef M_ORDER_WITHOUT_LOCK
#define MAY_LOCK(o) true
#else
#define MAY_LOCK(o) (!IS_LOCKED(o))
#endif

/* T4: nothing was sent, so the key is free again. */
inline release(k, op, me) {
  if
  :: MINE(k, op, me) && item[k].status == claimed -> write_absent(k)
#ifdef M_RELEASE_GATED
  :: MINE(k, op, me) && IS_GATED(k) -> write_absent(k)
#endif
  :: else
  fi
}

/* T5. */
inline hand_off(k, op, me) {
  if
  :: MINE(k, op, me) && item[k].status == executing -> item[k].status = unknown
  :: else
  fi
}

inline write_order(op, result) {
#ifndef NO_ORDER
  if
  :: HOLDS_LOCK(op) && result == performed -> order[ORDER(op)].paid = true
  :: HOLDS_LOCK(op) && result != performed -> order[ORDER(op)].by = NOBODY
  :: else
  fi
#endif
  skip
}

/* T6, with the order's new state in the same transaction. The first writer wins. */
inline settle(k, op, result) {
  if
#ifdef M_SETTLE_WITHOUT_CONDITION
  :: true ->
#else
  :: SAME(k, op) && IS_GATED(k) ->
#endif
     check_settle(k, result);
     item[k].status = done;
     item[k].owner = NOBODY;
     item[k].quarantined = false;
     write_order(op, result);
     check_orders()
#ifndef M_SETTLE_WITHOUT_CONDITION
  :: IS_DONE(k, op) ->
     check_agreement(op, result)
  :: else ->                           /* its generation has ended: only the order hears of it, by its own condition */
     write_order(op, result);
     check_orders()
#endif
  fi
}

/* T8. */
inline quarantine(k, op) {
  if
  :: SAME(k, op) && IS_OPEN(k) -> item[k].quarantined = true
  :: else
  fi
}
