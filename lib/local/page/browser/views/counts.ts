import { html, type TemplateResult } from 'lit-html';
import type { LedgerRow } from '../../wire.ts';
import { chargesOf, repeatedChargesOf } from '../state.ts';
import type { Scene } from './text.ts';

const sum = (rows: readonly LedgerRow[]): number => rows.reduce((total, { amount }) => total + amount, 0);

/** The point of it all: how often the customer paid, next to how often they would have. */
export function counts({ state, messages, formats }: Scene): TemplateResult {
  const { counts } = messages;
  const isCounted = state.isCompared || state.isComparing;
  const number = (id: string, title: string, rows: readonly LedgerRow[], isKnown: boolean, meanwhile: string) => html`
    <div class=${`count ${id}`} data-count=${isKnown ? rows.length : ''}>
      <dt>${title}</dt>
      <dd>
        <span class="figure" aria-hidden="true">${isKnown ? formats.number(rows.length) : '–'}</span>
        <span class="caption">
          ${
            isKnown
              ? html`<b>${formats.count(counts.charges, rows.length)}</b> <span>${formats.money(sum(rows))}</span>`
              : meanwhile
          }
        </span>
      </dd>
    </div>
  `;
  return html`
    <section class="card" aria-labelledby="counts-title" id="counts">
      <h2 id="counts-title" class="unseen">${counts.title}</h2>
      <dl class="counts">
        ${number('kept', counts.withKey, chargesOf(state), state.run !== null, counts.pending)}
        ${number(
          'repeated',
          counts.withoutKey,
          repeatedChargesOf(state),
          state.isCompared,
          isCounted ? counts.comparing : counts.pending,
        )}
      </dl>
    </section>
  `;
}
