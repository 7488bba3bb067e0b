/*
 * The provider: what it remembers under a key, what look-ups show, and the calls that are on their way to it. A call
 * may take for ever, and it reaches the provider whether or not anybody still waits for its answer.
 */

mtype:memory = { nothing, success, decline, door, failure }
mtype:call = { idle, flying, astray, said_success, said_decline, said_refused, said_unclear }

#if defined(M_RAW_KEY)
/* The client's own key, the same for each generation; and nobody checks whose payment an answer is about. */
#define PROVIDER_KEY(op) KEY(op)
#define CALL_KEY(a, op) PROVIDER_KEY(op)
#elif defined(M_FRESH_KEY)
#define PROVIDER_KEY(op) (op)
#define CALL_KEY(a, op) (a)
#else
#define PROVIDER_KEY(op) (op)
#define CALL_KEY(a, op) PROVIDER_KEY(op)
#endif

mtype:call call[NAMES] = idle;         /* of each attempt: it makes one */
byte call_for[NAMES];                  /* which operation it is about */
bool visible[NAMES];                   /* look-ups show what became of this operation */
#ifndef NO_DEDUPE
mtype:memory memory[NAMES] = nothing;  /* what is stored under a provider key */
bool closing[NAMES];                   /* a call that closes this operation's door is on its way */
#define IS_SHUT(op) (!closing[op] && memory[PROVIDER_KEY(op)] == door)
#define IS_IN_USE(op) (!closing[op] && memory[PROVIDER_KEY(op)] != door)
#endif

#define IS_CALL(a) (call[a] == flying || call[a] == astray)
#define IS_HIDDEN(op) (fate[op] != none && !visible[op])

/* An attempt that goes away, for whatever reason, hears no answer any more. */
inline stop_listening(me) {
  if
  :: call[me] == flying -> call[me] = astray
  :: call[me] != flying && call[me] != astray -> call[me] = idle
  :: else
  fi
}

inline reply(me, answer) {
  call_for[me] = NOBODY;
  if
  :: call[me] == flying -> call[me] = answer
  :: call[me] == astray -> call[me] = idle
  fi
}

inline remember(key, what) {
#ifndef NO_DEDUPE
  memory[key] = what;
#endif
  skip
}

/* The first call under a key, and every call where keys are not remembered. */
inline execute(me, op) {
  if
  :: happen(op, performed); remember(CALL_KEY(me, op), success); reply(me, said_success)
  :: happen(op, performed); remember(CALL_KEY(me, op), failure); reply(me, said_unclear)   /* charged, answered 500 */
  :: happen(op, declined); remember(CALL_KEY(me, op), decline); reply(me, said_decline)
  :: remember(CALL_KEY(me, op), failure); reply(me, said_unclear)              /* a 500 that is stored, and no charge */
  :: reply(me, said_refused)                                         /* refused in validation: nothing is remembered */
  :: reply(me, said_unclear)                                         /* turned away, or lost on the way: not executed */
  fi;
  if
  :: visible[op] = (fate[op] != none)
  :: true                              /* look-ups lag behind */
  fi
}

inline serve(a) {
  op = call_for[a];
  check_call(op);
  if
#ifndef NO_DEDUPE
  :: memory[CALL_KEY(a, op)] == success -> reply(a, said_success)
  :: memory[CALL_KEY(a, op)] == decline -> reply(a, said_decline)
  :: memory[CALL_KEY(a, op)] == door || memory[CALL_KEY(a, op)] == failure -> reply(a, said_unclear)
  :: memory[CALL_KEY(a, op)] == nothing -> execute(a, op)
#else
  :: true -> execute(a, op)
#endif
  fi;
  op = NOBODY
}

/* The same endpoint and key with other parameters: it takes an unused key up, and cannot touch a used one. */
inline close_door(op) {
  closing[op] = false;
  if
  :: memory[PROVIDER_KEY(op)] == nothing -> memory[PROVIDER_KEY(op)] = door
  :: else
  fi
}

/* One query. By the time when somebody acts on the answer it may be old. */
inline look_up(op, seen) {
  seen = (visible[op] -> fate[op] : none)
}

#define OF_CALLER(a) \
  :: atomic { IS_CALL(a) -> serve(a) } \
  :: atomic { IS_HIDDEN(a) -> visible[a] = true }
#ifndef NO_DEDUPE
#define OF_DOOR(op) :: atomic { closing[op] -> close_door(op) }
#else
#define OF_DOOR(op)
#endif

active proctype Provider() {
  byte op;
end:
  do
  OF_CALLER(1)
  OF_DOOR(1)
#if ATTEMPTS > 1
  OF_CALLER(2)
  OF_DOOR(2)
#endif
#if ATTEMPTS > 2
  OF_CALLER(3)
  OF_DOOR(3)
#endif
  od
}
