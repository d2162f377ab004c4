export { browserTest } from './browser-test.ts';
export { type TestStack, testStack } from './stack.ts';
