import type { Browser } from 'playwright-core';
import { test } from 'vitest';
import { launchChromium } from '../browser/launch-chromium.ts';

/** A test with a `browser`, which the tests of its worker share: make a context of your own, and close it. */
export const browserTest = test
  .extend('environment', { scope: 'worker' }, () => process.env)
  .extend(
    'browser',
    { scope: 'worker' },
    async ({ environment }, { onCleanup }): Promise<Browser> => {
      const chromium = await launchChromium(environment);
      onCleanup(() => chromium[Symbol.asyncDispose]());
      return chromium.browser;
    },
  );
