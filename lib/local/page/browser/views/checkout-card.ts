import { html, nothing, type TemplateResult } from 'lit-html';
import { AMOUNT, SCENARIO_IDS, type ScenarioId } from '../scenarios.ts';
import { waitingUntil } from '../state.ts';
import type { Page } from './app.ts';
import { statusLine } from './status.ts';
import { fill } from './text.ts';

/** The client asks again by itself before anybody could press. */
const WAIT_MS_SHORT = 1000;

export function checkoutCard(page: Page): TemplateResult {
  const { state, messages, formats } = page;
  const { checkout } = messages;
  const isPaying = state.phase.kind === 'paying';
  return html`
    <section class="card desk" aria-labelledby="checkout-title">
      <h1 id="checkout-title">${checkout.title}</h1>
      <p class="amount">${formats.money(AMOUNT)}</p>
      <p class="quiet">
        ${state.run === null ? checkout.lead : html`${checkout.order} <code>${state.run.orderId}</code>`}
      </p>
      <fieldset ?disabled=${isPaying}>
        <legend>${checkout.question}</legend>
        <div class="choices">${SCENARIO_IDS.map((id) => choice(page, id))}</div>
      </fieldset>
      <p class="hint" id="hint">${checkout.scenarios[state.chosen].hint}</p>
      ${button(page)} ${statusLine(page)}
    </section>
  `;
}

const choice = ({ state, messages, actions }: Page, id: ScenarioId): TemplateResult => html`
  <label class="choice">
    <input
      type="radio"
      name="scenario"
      value=${id}
      aria-describedby=${state.chosen === id ? 'hint' : nothing}
      .checked=${state.chosen === id}
      @change=${() => actions.choose(id)}
    />
    <span>${messages.checkout.scenarios[id].title}</span>
  </label>
`;

/**
 * One button, so that it keeps the focus. A payment whose outcome is not known is never followed by a new one: the only
 * way on is to ask again.
 */
function button({ state, messages, formats, actions }: Page): TemplateResult {
  const { pay, askAgain } = messages.checkout;
  const waitMs = (waitingUntil(state) ?? 0) - state.now;
  const isAgain = state.phase.kind === 'unknown' || waitMs > WAIT_MS_SHORT;
  const isBusy = state.phase.kind === 'paying' && !isAgain;
  return html`
    <button
      type="button"
      class=${isAgain ? 'primary again' : 'primary pay'}
      aria-disabled=${isBusy}
      @click=${() => (isAgain ? actions.askAgain() : isBusy || actions.pay())}
    >
      ${isAgain ? askAgain : fill(pay, { money: formats.money(AMOUNT) })}
    </button>
  `;
}
