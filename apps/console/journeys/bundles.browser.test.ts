import { expect, onTestFinished, test, vi } from 'vitest';
import { buildPages, loadedWith, sizeOf } from '../testing/bundle.ts';

const KB = 1000;

test('the pages stay within their budgets, and livekit-client is loaded alone and on demand', async () => {
  // Otherwise the pages are built for development.
  vi.stubEnv('NODE_ENV', 'production');
  onTestFinished(() => void vi.unstubAllEnvs());
  const bundle = await buildPages();
  const entry = loadedWith(bundle, 'web/main.tsx');
  const session = loadedWith(bundle, 'pages/session/session-page.tsx').difference(entry);
  const sizes = { entry: sizeOf(entry), session: sizeOf(session), styles: bundle.stylesBytes };
  process.stdout.write(`pages, compressed: ${JSON.stringify(sizes)}\n`);
  expect(sizes.entry).toBeLessThanOrEqual(130 * KB);
  expect(sizes.session).toBeLessThanOrEqual(120 * KB);
  expect(sizes.styles).toBeLessThanOrEqual(10 * KB);
  const withLivekit = [...bundle.chunks.values()].filter(({ modules }) =>
    modules.some((id) => id.includes('/livekit-client/')),
  );
  expect(withLivekit.length).toBeLessThanOrEqual(1);
  for (const chunk of withLivekit) {
    expect([...entry, ...session]).not.toContain(chunk);
    expect(chunk.modules.filter((id) => !id.includes('/node_modules/'))).toEqual([]);
  }
});
