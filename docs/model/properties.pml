/*
 * What must hold. Nothing here is part of the protocol: these variables only remember what has happened. The comment
 * behind an assertion is the name of the property.
 */

bool gated[NAMES];                     /* this operation's gate was passed */
mtype:outcome fate[NAMES] = none;      /* what the provider has done about this operation */
mtype:outcome verdict[NAMES] = none;   /* what was stored as its outcome */
#ifdef NO_ORDER
/* Charges by intention: what a client wants with one key, from its first request until the key expires. */
bool served[KEYS * (EXPIRIES + 1)];
byte intention[NAMES];                 /* of which intention of its key an operation is */
#define IS_SERVED(op) served[KEY(op) * (EXPIRIES + 1) + intention[op]]
#else
bool served[ORDERS];
#define IS_SERVED(op) served[ORDER(op)]
#endif

/* At every call that reaches the provider. */
inline check_call(op) {
  assert(gated[op])                                                  /* no call without a passed gate */
}

#define IS_REFUSED(op) (verdict[op] == declined || verdict[op] == not_performed)
#define IS_CHARGED(op) (fate[op] == performed)

/* At every movement of money, and at every decline. */
inline happen(op, what) {
  assert(what != performed || !IS_REFUSED(op));                      /* a refusal is never followed by a charge */
  assert(what != performed || !IS_SERVED(op));                       /* at most one charge */
  IS_SERVED(op) = IS_SERVED(op) || what == performed;
  fate[op] = what
}

/* Before every write of an outcome. */
inline check_settle(k, result) {
  assert(item[k].status != done);                                    /* done never changes */
  assert(verdict[item[k].generation] == none);                       /* an operation is settled once */
  assert((result == performed) == IS_CHARGED(item[k].generation));   /* performed if and only if charged */
  verdict[item[k].generation] = result
}

/* Where the same operation is done already. */
inline check_agreement(op, result) {
  assert(verdict[op] == result)                                      /* nobody contradicts what is stored */
}

/* At every final answer that leaves for a client. */
inline check_answer(k, op, result) {
  assert(IS_DONE(k, op) && verdict[op] == result)                    /* no answer before it is durable */
}

#ifndef NO_ORDER
#define LOCK_IS_SOUND(o) (order[o].by == NOBODY || order[o].paid || IS_BEHIND_GATE(KEY(order[o].by), order[o].by))
#define IS_BEHIND_GATE(k, op) (SAME(k, op) && IS_GATED(k))
#define HAS_LOCK(k) (!IS_GATED(k) || order[ORDER(item[k].generation)].by == item[k].generation)
#endif

/* After every write. */
inline check_orders() {
#ifndef NO_ORDER
  assert(LOCK_IS_SOUND(0));                                          /* only an open operation locks an order */
#if ORDERS > 1
  assert(LOCK_IS_SOUND(1));                                          /* only an open operation locks an order */
#endif
#ifndef M_ORDER_WITHOUT_LOCK
  assert(HAS_LOCK(0));                                               /* an open operation holds its order */
#if KEYS > 1
  assert(HAS_LOCK(1));                                               /* an open operation holds its order */
#endif
#endif
#endif
  skip
}
