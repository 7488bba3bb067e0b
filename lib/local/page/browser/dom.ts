/** The few things of a browser that the page touches itself; everything else is the UI library's. */
interface BrowserElement {
  lang: string;
  scrollIntoView(options: { readonly block: 'start' | 'nearest'; readonly behavior: 'smooth' | 'instant' }): void;
  focus(options?: { readonly preventScroll: boolean }): void;
}

interface Browser {
  readonly document: {
    title: string;
    readonly documentElement: BrowserElement;
    getElementById(id: string): BrowserElement | null;
  };
  readonly location: { readonly hash: string };
  addEventListener(type: 'hashchange', listener: () => void): void;
  scrollTo(x: number, y: number): void;
  matchMedia(query: string): { readonly matches: boolean };
  requestAnimationFrame(draw: () => void): number;
}

/** Named here because the project's types are Node's, and this folder alone runs in a browser. */
export const browser = globalThis as unknown as Browser;

/** Brings what just changed into view where the screen is too small to show it anyway. */
export function reveal(id: string): void {
  if (!browser.matchMedia('(max-width: 60rem)').matches) return;
  const show = (): void => {
    const isCalm = browser.matchMedia('(prefers-reduced-motion: reduce)').matches;
    browser.document.getElementById(id)?.scrollIntoView({ block: 'start', behavior: isCalm ? 'instant' : 'smooth' });
  };
  // Behind the frame that draws the change.
  browser.requestAnimationFrame(() => browser.requestAnimationFrame(show));
}

/** Another view is another page to whoever reads it: from its top, and announced. */
export function goToTop(): void {
  browser.scrollTo(0, 0);
  browser.document.getElementById('content')?.focus({ preventScroll: true });
}
