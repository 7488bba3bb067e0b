import { html, type TemplateResult } from 'lit-html';
import type { LedgerRow } from '../../wire.ts';
import { chargesOf, repeatedChargesOf } from '../state.ts';
import type { Scene } from './text.ts';

/** Every movement of money that belongs to the checkout on the screen. */
export function ledger(scene: Scene): TemplateResult {
  const { state, messages } = scene;
  const kept = chargesOf(state);
  const repeated = repeatedChargesOf(state);
  return html`
    <section class="card" aria-labelledby="ledger-title">
      <h2 id="ledger-title">${messages.ledger.title}</h2>
      ${
        kept.length + repeated.length === 0
          ? html`<p class="empty">${messages.ledger.empty}</p>`
          : html`
              <ul class="ledger">
                ${kept.map((charge) => row(scene, charge, messages.ledger.withKey, 'kept'))}
                ${repeated.map((charge) => row(scene, charge, messages.ledger.withoutKey, 'repeated'))}
              </ul>
            `
      }
      <p class="quiet">${messages.counts.explanation}</p>
    </section>
  `;
}

const row = (
  { formats }: Scene,
  { amount, orderId, at }: LedgerRow,
  label: string,
  kind: string,
): TemplateResult => html`
  <li class=${kind}>
    <code>${orderId}</code>
    <span class="label">${label}</span>
    <time datetime=${at}>${formats.time(Date.parse(at))}</time>
    <b>${formats.money(amount)}</b>
  </li>
`;
