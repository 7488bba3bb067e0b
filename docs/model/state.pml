/*
 * The item of each key, and the order's record.
 * There is no clock. Whoever asks whether a lease or the grace period has ended gets any answer at any time, so that no
 * property can rest on one.
 */

typedef Item {
  mtype:status status = absent;
  byte generation;                     /* which operation it is about */
  byte owner;
  bool quarantined
}
Item item[KEYS];

#ifndef NO_ORDER
typedef Order {
  byte by;                             /* the operation that holds the lock */
  bool paid
}
Order order[ORDERS];
#define IS_LOCKED(o) (order[o].by != NOBODY)
#else
#define IS_LOCKED(o) false
#endif

/* Writes whose reply was lost and that an SDK repeated: the repetition may land at any later time. */
bool late_claim[NAMES];
byte late_gate[NAMES];                 /* for which operation, 0 for none */

#if EXPIRIES > 0
byte expiries;
byte ended;                            /* of these, how many were settled */
bool claiming[NAMES];                  /* the second of two claim writes is still to come */
#endif

#define IS_CLAIMED(k) (item[k].status == claimed)
#define IS_GATED(k) (item[k].status == executing || item[k].status == unknown)
#define IS_OPEN(k) (IS_CLAIMED(k) || IS_GATED(k))
#define SAME(k, op) (item[k].generation == (op))
#define MINE(k, op, me) (SAME(k, op) && item[k].owner == (me))
#define IS_DONE(k, op) (SAME(k, op) && item[k].status == done)
/* The order stands for the fingerprint. */
#define SAME_REQUEST(k, a) (ORDER(item[k].generation) == ORDER(a))
#define CAN_TAKE(k, a) (SAME_REQUEST(k, a) && !item[k].quarantined)
