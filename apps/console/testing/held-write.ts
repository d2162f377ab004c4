import type { Page, Route } from 'playwright-core';

/** Resolves with the next request of `method` to `address`. The request waits until the test continues or answers it. */
export async function heldWrite(page: Page, method: string, address: RegExp): Promise<Route> {
  const held = Promise.withResolvers<Route>();
  await page.route(address, async (route) => {
    if (route.request().method() === method) held.resolve(route);
    else await route.fallback();
  });
  return await held.promise;
}
