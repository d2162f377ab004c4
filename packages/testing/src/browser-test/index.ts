export type { Browser, BrowserContext, Page } from 'playwright-core';
export { browserTest } from './browser-test.ts';
export { type TestStack, testStack } from './stack.ts';
