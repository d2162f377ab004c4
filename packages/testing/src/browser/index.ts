export {
  FILLED_PASSWORD,
  fillGaps,
  fillMessages,
  fillPasswordLink,
  fillSessions,
  fillTalk,
  fillToolCalls,
  fillUser,
  type SaidLine,
} from './fill.ts';
export { CHROMIUM_WITHOUT_WINDOWS, findChromium } from './find-chromium.ts';
export { launchChromium } from './launch-chromium.ts';
export { type RunningStack, startStack } from './start-stack.ts';
