const BAR_WIDTH = 24;
const TERMINAL_EVERY_MS = 200;
const LINE_EVERY_MS = 15_000;

/** Tells on the standard error how far the work is: a bar on a terminal, a line now and then elsewhere. */
export class Progress {
  readonly #out: NodeJS.WriteStream;
  #title = '';
  #total: number | undefined;
  #secondsMax: number | undefined;
  #done = 0;
  #began = 0;
  #told = 0;

  constructor(out: NodeJS.WriteStream = process.stderr) {
    this.#out = out;
  }

  /** With neither a total nor a time the end is not known. */
  begin(title: string, total?: number, secondsMax?: number): void {
    this.#title = title;
    this.#total = total;
    this.#secondsMax = secondsMax;
    this.#done = 0;
    this.#began = performance.now();
    this.#told = this.#began;
    if (!this.#out.isTTY) this.#out.write(`${title}\n`);
  }

  add(more: number): void {
    this.#done += more;
    const now = performance.now();
    if (now - this.#told < (this.#out.isTTY ? TERMINAL_EVERY_MS : LINE_EVERY_MS)) return;
    this.#told = now;
    this.#out.write(this.#out.isTTY ? `\r\u001b[2K${this.#bar(now)}` : `  ${this.#figures(now)}\n`);
  }

  end(): void {
    const now = performance.now();
    if (this.#out.isTTY) this.#out.write('\r\u001b[2K');
    this.#out.write(`  ${this.#title}: ${this.#done.toLocaleString('en')} in ${seconds(now - this.#began)}\n`);
  }

  #bar(now: number): string {
    const share = this.#share(now) ?? 0;
    const full = Math.round(share * BAR_WIDTH);
    return `${'█'.repeat(full)}${'░'.repeat(BAR_WIDTH - full)} ${this.#title}: ${this.#figures(now)}`;
  }

  #figures(now: number): string {
    const ms = now - this.#began;
    const rate = Math.round((this.#done / ms) * 1_000).toLocaleString('en');
    const share = this.#share(now);
    const left = share === undefined || share === 0 ? '' : `, at most ${seconds((ms / share) * (1 - share))} left`;
    return `${this.#done.toLocaleString('en')}, ${rate}/s${left}`;
  }

  #share(now: number): number | undefined {
    if (this.#total !== undefined) return Math.min(1, this.#done / this.#total);
    return this.#secondsMax && Math.min(1, (now - this.#began) / (this.#secondsMax * 1_000));
  }
}

const seconds = (ms: number): string => {
  const whole = Math.round(ms / 1_000);
  return whole < 100 ? `${whole} s` : `${Math.round(whole / 60)} min`;
};
