import { html, nothing, type TemplateResult } from 'lit-html';
import { browser } from '../dom.ts';
import { LANGUAGES, type Language, TAGS } from '../language.ts';
import type { ScenarioId } from '../scenarios.ts';
import type { State } from '../state.ts';
import { checkoutCard } from './checkout-card.ts';
import { counts } from './counts.ts';
import { mark } from './icons.ts';
import { ledger } from './ledger.ts';
import { operator } from './operator.ts';
import { stage } from './stage.ts';
import type { Scene } from './text.ts';
import { ticket } from './ticket.ts';

export interface Actions {
  choose(scenario: ScenarioId): void;
  speak(language: Language): void;
  pay(): void;
  askAgain(): void;
  reconcile(): void;
}

export type Page = Scene & { readonly actions: Actions };

export function app(page: Page): TemplateResult {
  const { state, messages } = page;
  return html`
    <a class="skip" href="#content" @click=${skip}>${messages.skip}</a>
    ${header(page)}
    ${state.isConnected ? nothing : html`<p class="banner trouble" role="alert">${messages.disconnected}</p>`}
    <main id="content" tabindex="-1">
      ${state.view === 'operator' ? operator(page) : checkout(page)}
    </main>
  `;
}

/** The hash chooses the view, so the link must not change it. */
function skip(event: { preventDefault(): void }): void {
  event.preventDefault();
  browser.document.getElementById('content')?.focus();
}

const checkout = (page: Page): TemplateResult => html`
  <div class="checkout">
    ${checkoutCard(page)}
    <div class="results">${counts(page)} ${stage(page)} ${ticket(page)} ${ledger(page)}</div>
  </div>
`;

function header({ state, messages, actions }: Page): TemplateResult {
  const link = (view: State['view'], text: string) =>
    html`<a href=${`#${view}`} aria-current=${state.view === view ? 'page' : nothing}>${text}</a>`;
  const choice = (language: Language) => html`
    <button
      type="button"
      lang=${TAGS[language]}
      aria-pressed=${state.language === language}
      aria-label=${LANGUAGE_NAMES[language]}
      @click=${() => actions.speak(language)}
    >
      ${language.toUpperCase()}
    </button>
  `;
  return html`
    <header>
      <div class="brand">${mark()}<span><strong>Chipta</strong><small>${messages.tagline}</small></span></div>
      <nav aria-label=${messages.viewsLabel}>
        ${link('checkout', messages.checkout.title)} ${link('operator', messages.operator.title)}
      </nav>
      <div class="languages" role="group" aria-label=${messages.languageLabel}>${LANGUAGES.map(choice)}</div>
    </header>
  `;
}

const LANGUAGE_NAMES: Readonly<Record<Language, string>> = {
  en: 'EN, English',
  uz: 'UZ, Oʻzbekcha',
  ru: 'RU, Русский',
};
