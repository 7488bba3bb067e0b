/*
 * One request of a client, in a function of its own: begin, gate, call, settle, answer. It may crash at each label, and
 * being frozen there is what the scheduler does to it anyway.
 *
 * Where an atomic step begins with `true`, its first `if` would otherwise melt into the choice around it, and its
 * `else` would never be taken.
 */

/* Every answer of a claim that is done is what is stored. */
inline answer_stored(k, op) {
  check_answer(k, op, verdict[op])
}

active [ATTEMPTS] proctype Attempt() {
  byte op;                             /* the operation that it works on */
  byte from;                           /* whose claim it takes over */
  bool retried;                        /* it works on somebody else's operation, behind the gate */
  mtype:outcome seen = none;
#define ME _pid
#define ITS_KEY KEY(ME)

start:                                 /* T1; the SDK may send it twice, and the first of the two may come late */
  if
  :: atomic { ME <= REPEATERS -> late_claim[ME] = true; note_claiming(ME, true) }
  :: true
  fi;
begin:
  if
  :: FAULTS -> goto gone
  :: atomic {
       true;
       if
       :: item[ITS_KEY].status == absent -> write_claim(ITS_KEY, ME); op = ME; goto gate
       :: IS_CLAIMED(ITS_KEY) && MINE(ITS_KEY, ME, ME) -> op = ME; goto gate    /* the first of the two was mine */
       :: item[ITS_KEY].status != absent && !SAME_REQUEST(ITS_KEY, ME) -> goto gone                      /* 422 */
       :: item[ITS_KEY].status == done && SAME_REQUEST(ITS_KEY, ME) ->
          answer_stored(ITS_KEY, item[ITS_KEY].generation); goto gone
       :: IS_OPEN(ITS_KEY) && item[ITS_KEY].quarantined -> goto gone                                     /* 409 */
       :: IS_OPEN(ITS_KEY) && FAULTS -> goto gone                                                /* 409: live lease */
       :: IS_CLAIMED(ITS_KEY) && CAN_TAKE(ITS_KEY, ME) && item[ITS_KEY].owner != ME ->
          op = item[ITS_KEY].generation; from = item[ITS_KEY].owner; goto take_over
       :: IS_GATED(ITS_KEY) && CAN_TAKE(ITS_KEY, ME) ->
          op = item[ITS_KEY].generation;
#if defined(M_CLAIM_GATED)
          write_claim(ITS_KEY, ME); op = ME; goto gate
#elif defined(M_TAKE_OVER_GATED)
          item[ITS_KEY].status = claimed; item[ITS_KEY].owner = ME; check_orders(); goto gate
#else
          retried = true; goto recover
#endif
       fi
     }
  fi;

take_over:                             /* T2 */
  if
  :: FAULTS -> goto gone
  :: atomic {
       true;
       if
       :: IS_CLAIMED(ITS_KEY) && MINE(ITS_KEY, op, from) -> item[ITS_KEY].owner = ME; from = NOBODY; goto gate
       :: else -> op = NOBODY; from = NOBODY; goto begin
       fi
     }
  fi;

gate:                                  /* T3 */
#ifdef M_CALL_WITHOUT_GATE
  goto send;
#endif
  if                                   /* the SDK may send this twice, too */
  :: atomic { ME <= REPEATERS -> late_gate[ME] = op; note_claiming(ME, false) }
  :: atomic { true; note_claiming(ME, false) }
  fi;
gate_again:
  if
  :: FAULTS -> goto gone
  :: FAULTS -> goto give_up            /* the store does not answer */
  :: atomic {
       true;
       if
       :: MAY_GATE(ITS_KEY, op, ME) && MAY_LOCK(ORDER(op)) -> write_gate(ITS_KEY, op)
       :: HAS_GATED(ITS_KEY, op, ME)
       :: MAY_GATE(ITS_KEY, op, ME) && !MAY_LOCK(ORDER(op)) -> goto let_go
       :: IS_DONE(ITS_KEY, op) -> answer_stored(ITS_KEY, op); goto gone
       :: else -> goto gone            /* somebody took the claim over, or let it go */
       fi
     }
  fi;

send:
  if
  :: FAULTS -> goto gone
  :: FAULTS -> goto give_up            /* too little time is left */
  :: atomic { call_for[ME] = op; call[ME] = flying }
  fi;
listen:
  if
  :: FAULTS -> goto gone
  :: FAULTS -> goto give_up            /* time-out */
  :: atomic { call[ME] == said_success -> call[ME] = idle; seen = performed }
  :: atomic { call[ME] == said_decline -> call[ME] = idle; seen = declined }
  :: atomic { call[ME] == said_refused -> call[ME] = idle; goto shut }
  :: atomic { call[ME] == said_unclear -> call[ME] = idle; goto give_up }
  fi;

finish:                                /* T6, and only then the answer */
#ifdef M_ANSWER_BEFORE_SETTLING
  check_answer(ITS_KEY, op, seen);
#endif
  if
  :: FAULTS -> goto gone
  :: FAULTS -> goto give_up            /* the store does not answer */
  :: atomic {
       true;
       settle(ITS_KEY, op, seen);
       if
       :: IS_DONE(ITS_KEY, op) -> answer_stored(ITS_KEY, op)
       :: else
       fi;
       goto gone
     }
  fi;

shut:                                  /* refused in validation: make sure that no other call can do it either */
#ifndef NO_DEDUPE
  if
  :: FAULTS -> goto gone
  :: closing[op] = true
  fi;
  if
  :: FAULTS -> goto gone
  :: FAULTS -> goto give_up
  :: atomic { IS_SHUT(op) -> seen = not_performed; goto finish }
  :: atomic { IS_IN_USE(op) -> goto give_up }
  fi;
#else
  goto give_up;
#endif

recover:                               /* a client's retry behind the gate */
  if
  :: FAULTS -> goto gone
  :: atomic { true; note_claiming(ME, false); look_up(op, seen); if :: seen != none -> goto finish :: else fi }
  fi;
#if defined(NO_DEDUPE) && !defined(M_SEND_AGAIN_WITHOUT_DEDUPE)
  goto give_up;
#else
  goto send;
#endif

let_go:                                /* T4: another payment of the order is under way or made */
  if
  :: FAULTS -> goto gone
  :: atomic { true; release(ITS_KEY, op, ME); goto gone }
  fi;

give_up:                               /* T4, else T5; a retry reads once more what has become of the claim */
#ifdef M_DELETE_ON_ERROR
  atomic { if :: SAME(ITS_KEY, op) -> write_absent(ITS_KEY) :: else fi };
#endif
#ifdef M_TIMEOUT_IS_FAILURE
  atomic { settle(ITS_KEY, op, not_performed) };
#endif
  if
  :: FAULTS -> goto gone
  :: atomic { !retried -> release(ITS_KEY, op, ME) }
  :: atomic {
       retried ->
       if
       :: IS_DONE(ITS_KEY, op) -> answer_stored(ITS_KEY, op)
       :: else
       fi;
       goto gone
     }
  fi;
  if
  :: FAULTS
  :: atomic { true; hand_off(ITS_KEY, op, ME) }
  fi;

gone:
  atomic { stop_listening(ME); note_claiming(ME, false); op = NOBODY; from = NOBODY; retried = false; seen = none }
#undef ME
#undef ITS_KEY
}
