/*
 * The protocol's core as a model for Spin: attempts of clients, the claim's item, the provider, and everything that may
 * come between them. docs/model/README.md says what is modelled, how it is run, and what the mutants (M_...) are.
 *
 * Bounds (-D...):
 *   ATTEMPTS     requests that clients make, each a function of its own      default 2
 *   RECONCILERS  reconcilers that run at the same time                       default 1
 *   REPEATERS    attempts whose SDK may send a write twice                   default 1
 *   EXPIRIES     how often settled items expire and free their key           default 0
 * What is asked (-D...):
 *   TWO_KEYS     the last attempt pays the same order under another key
 *   OTHER_ORDER  the last attempt uses the same key for another order
 *   NO_DEDUPE    the provider remembers no key
 *   NO_ORDER     an effect without domain records: no order is locked
 *   LIVENESS     faults end at some moment; is every open claim settled then?
 */
#ifndef ATTEMPTS
#define ATTEMPTS 2
#endif
#ifndef RECONCILERS
#define RECONCILERS 1
#endif
#ifndef REPEATERS
#define REPEATERS 1
#endif
#ifndef EXPIRIES
#define EXPIRIES 0
#endif

/* An attempt, the operation that it would mint and the owner that it would be share one number, 1 .. ATTEMPTS. */
#define NOBODY 0
#define NAMES  (ATTEMPTS + 1)

#ifdef TWO_KEYS
#define KEYS 2
#define KEY(n) ((n) == ATTEMPTS -> 1 : 0)
#else
#define KEYS 1
#define KEY(n) 0
#endif
#ifdef OTHER_ORDER
#define ORDERS 2
#define ORDER(n) ((n) == ATTEMPTS -> 1 : 0)
#else
#define ORDERS 1
#define ORDER(n) 0
#endif

mtype:status = { absent, claimed, executing, unknown, done }
mtype:outcome = { none, performed, declined, not_performed }

#ifdef LIVENESS
bool calm = false;
/* Crashes, lost replies, live leases and lagging look-ups happen until it is calm. */
#define FAULTS (!calm)
#else
/* Faults never end. Nothing here counts them: an actor may crash, or sleep for ever, at each of its steps. */
#define FAULTS (true)
#endif

#include "state.pml"
#include "properties.pml"
#include "writes.pml"
#include "provider.pml"
#include "attempt.pml"
#include "reconciler.pml"
#include "surroundings.pml"

#ifdef LIVENESS
#if KEYS > 1
#define STUCK ((IS_OPEN(0) && !item[0].quarantined) || (IS_OPEN(1) && !item[1].quarantined))
#else
#define STUCK (IS_OPEN(0) && !item[0].quarantined)
#endif
/* Once faults end, no claim stays open for ever, but for those that wait for an operator. */
ltl settled { [] (STUCK -> <> !STUCK) }
#endif
