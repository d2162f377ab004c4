import { CONTRACT_PROGRAMS, LAUNCHER_PROMISES } from '@session/agents/testing';
import { expect, test } from 'vitest';
import { openTestLauncher } from '../testing/launcher.ts';

test.concurrent.each([...LAUNCHER_PROMISES])('%s', async (_, isKept) => {
  await using opened = await openTestLauncher(CONTRACT_PROGRAMS);
  await expect(isKept(opened.launcher)).resolves.toBeUndefined();
});
