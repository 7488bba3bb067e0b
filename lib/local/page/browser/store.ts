import type { State } from './state.ts';

export interface Store {
  get(): State;
  set(change: Partial<State>): void;
  subscribe(listener: (state: State) => void): void;
}

export function createStore(initial: State): Store {
  let state = initial;
  const listeners: ((state: State) => void)[] = [];
  return {
    get: () => state,
    set: (change) => {
      state = { ...state, ...change };
      for (const listener of listeners) listener(state);
    },
    subscribe: (listener) => void listeners.push(listener),
  };
}
