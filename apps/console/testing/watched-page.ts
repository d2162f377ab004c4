import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { testStack } from '@session/testing/browser-test';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { violations } from './axe.ts';
import type { Person } from './people.ts';

const folder = path.resolve(import.meta.dirname, '../../../.cache/browser');

/** How a page is opened: by default signed out, 1280 by 800 pixels, in the light theme, without motion. */
export interface PageOptions extends BrowserContextOptions {
  readonly as?: Person;
  readonly width?: number;
  readonly height?: number;
  readonly theme?: 'light' | 'dark';
  /** Called before the page is opened: for routes and scripts that have to be there from the start. */
  readonly before?: (page: Page) => Promise<unknown>;
}

/**
 * A page in a context of its own, which notes each fault: errors and warnings of the console, uncaught errors, failed requests,
 * and requests to other hosts.
 */
export class WatchedPage {
  readonly page: Page;
  readonly #context: BrowserContext;
  readonly #faults: string[] = [];
  readonly #trace: string[] = [];

  private constructor(context: BrowserContext, page: Page) {
    this.#context = context;
    this.page = page;
    context.on('console', (message) => {
      this.#trace.push(`${message.type()} ${message.text()}`);
      if (message.type() === 'error' || message.type() === 'warning') {
        this.#faults.push(
          `console ${message.type()}: ${message.text()} (${message.location().url})`,
        );
      }
    });
    context.on('weberror', (error) => this.#note(`uncaught: ${error.error().stack}`));
    const { apiUrl, consoleUrl, mediaUrl } = testStack();
    const hosts = new Set([apiUrl, consoleUrl, mediaUrl].map((url) => new URL(url).host));
    context.on('request', (request) => {
      const { protocol, host } = new URL(request.url());
      if (protocol.startsWith('http') && !hosts.has(host)) this.#note(`foreign: ${request.url()}`);
    });
    context.on('requestfailed', (request) => {
      const why = request.failure()?.errorText;
      // A page that is left ends its own requests.
      if (why !== 'net::ERR_ABORTED')
        this.#note(`failed: ${request.method()} ${request.url()} ${why}`);
    });
  }

  static async open(browser: Browser, address: string, options: PageOptions): Promise<WatchedPage> {
    const { as, width = 1280, height = 800, theme = 'light', before, ...more } = options;
    const { consoleUrl } = testStack();
    const localStorage = as ? [{ name: 'session.token', value: as.token }] : [];
    const context = await browser.newContext({
      baseURL: consoleUrl,
      viewport: { width, height },
      colorScheme: theme,
      reducedMotion: 'reduce',
      locale: 'en-GB',
      timezoneId: 'UTC',
      permissions: ['microphone'],
      storageState: {
        cookies: [],
        origins: [{ origin: new URL(consoleUrl).origin, localStorage }],
      },
      ...more,
    });
    context.setDefaultTimeout(60_000);
    const page = await context.newPage();
    const watched = new WatchedPage(context, page);
    await before?.(page);
    await page.goto(address);
    return watched;
  }

  faults(expected: readonly RegExp[]): string[] {
    return this.#faults.filter((fault) => !expected.some((pattern) => pattern.test(fault)));
  }

  /** Discards the noted faults, before another test uses the page. */
  forgetFaults(): void {
    this.#faults.length = 0;
  }

  async violations(): Promise<string[]> {
    const found: string[] = [];
    for (const page of this.#context.pages()) found.push(...(await violations(page)));
    return found;
  }

  async keep(name: string): Promise<void> {
    const file = path.join(folder, name.replaceAll(/\W+/g, '-').slice(0, 80));
    await mkdir(folder, { recursive: true });
    await writeFile(`${file}.txt`, [this.page.url(), ...this.#trace, ''].join('\n'));
    for (const [index, page] of this.#context.pages().entries()) {
      await page.screenshot({ path: `${file}-${index}.png` });
    }
  }

  async close(): Promise<void> {
    // A route of a journey may still wait for an answer.
    for (const page of this.#context.pages()) await page.unrouteAll({ behavior: 'ignoreErrors' });
    await this.#context.close();
  }

  #note(fault: string): void {
    this.#trace.push(fault);
    this.#faults.push(fault);
  }
}
