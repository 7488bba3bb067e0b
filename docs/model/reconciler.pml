/* Scheduled runs, each of which may end at any step; the next one begins anew. It looks at one open claim at a time. */

active [RECONCILERS] proctype Reconciler() {
  byte k, op, owner;
  mtype:outcome seen = none;

again:
  atomic { op = NOBODY; owner = NOBODY; k = 0; seen = none };
end:
#ifdef M_NOBODY_RECONCILES
  false;
#endif
  atomic {                             /* a consistent read, and T7, which only saves work */
    if
    :: item[0].status != absent && item[0].status != done -> k = 0
#if KEYS > 1
    :: item[1].status != absent && item[1].status != done -> k = 1
#endif
    fi;
    op = item[k].generation;
    if
    :: item[k].status == claimed -> owner = item[k].owner
    :: else -> goto find
    fi
  };

  if                                   /* T4: its owner died before the gate */
  :: FAULTS
  :: atomic { true; release(k, op, owner) }
  fi;
  goto again;

find:
  if
  :: FAULTS -> goto again
  :: atomic { true; look_up(op, seen); if :: seen != none -> goto finish :: else fi }
  fi;
#ifdef M_NOT_FOUND_IS_FAILURE
  seen = not_performed; goto finish;
#endif

#ifndef NO_DEDUPE
  if
  :: FAULTS -> goto again              /* the grace period is not over */
  :: closing[op] = true
  fi;
  if
  :: FAULTS -> goto again
  :: atomic { IS_SHUT(op) -> seen = not_performed; goto finish }
#ifdef M_KEY_IN_USE_IS_CLOSED
  :: atomic { IS_IN_USE(op) -> seen = not_performed; goto finish }
#else
  :: IS_IN_USE(op)
#endif
  fi;
#endif

  if                                   /* T8: how many looks are too many is nobody's business here */
#ifdef M_NEVER_QUARANTINED
  :: true
#else
  :: FAULTS
  :: atomic { true; quarantine(k, op) }
#endif
  fi;
  goto again;

finish:
  if
  :: FAULTS
  :: atomic { true; settle(k, op, seen) }
  fi;
  goto again
}
