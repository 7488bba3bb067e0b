import { render } from 'lit-html';
import { createCheckout } from './checkout.ts';
import { browser, goToTop, reveal } from './dom.ts';
import { followFeed } from './feed.ts';
import { createFormats } from './format.ts';
import { chooseLanguage, LOCALES, MESSAGES, TAGS } from './language.ts';
import { rememberedLanguage, rememberLanguage } from './memory.ts';
import type { State } from './state.ts';
import { createStore } from './store.ts';
import { type Actions, app } from './views/app.ts';

/** Ages and waiting times are shown in seconds. */
const TICK_MS = 500;

const viewOf = (hash: string): State['view'] => (hash === '#operator' ? 'operator' : 'checkout');

const store = createStore({
  language: rememberedLanguage() ?? chooseLanguage(navigator.languages),
  view: viewOf(browser.location.hash),
  chosen: 'after',
  run: null,
  phase: { kind: 'ready' },
  isResumed: false,
  isComparing: false,
  isCompared: false,
  isConnected: true,
  timing: null,
  trips: [],
  claims: [],
  ledger: [],
  now: Date.now(),
});
const checkout = createCheckout(store);

const actions: Actions = {
  choose: (chosen) => store.set({ chosen }),
  speak: (language) => {
    rememberLanguage(language);
    store.set({ language });
  },
  pay: () => {
    reveal('counts');
    void checkout.pay();
  },
  askAgain: () => void checkout.askAgain(),
  reconcile: () => void fetch('/local/reconcile', { method: 'POST' }),
};

let isDrawn = true;
const draw = (): void => {
  isDrawn = true;
  const state = store.get();
  const messages = MESSAGES[state.language];
  const { document } = browser;
  document.documentElement.lang = TAGS[state.language];
  document.title = `${state.view === 'operator' ? messages.operator.title : messages.checkout.title} · Chipta`;
  const formats = createFormats(LOCALES[state.language], messages.words);
  render(app({ state, messages, formats, actions }), document.getElementById('app') as never); // Its type is the DOM's.
};

store.subscribe(() => {
  if (!isDrawn) return;
  isDrawn = false;
  browser.requestAnimationFrame(draw);
});
browser.addEventListener('hashchange', () => {
  store.set({ view: viewOf(browser.location.hash) });
  goToTop();
});
setInterval(() => store.set({ now: Date.now() }), TICK_MS);
draw();
followFeed(store);
void checkout.resume();
