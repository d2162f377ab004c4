import type { Page } from 'playwright-core';

/**
 * Renames values in each answer of the API to a page, so that the page meets a newer API. `values` has the new name of each
 * JSON value.
 */
export async function renameValues(
  page: Page,
  apiUrl: string,
  values: Readonly<Record<string, string>>,
): Promise<void> {
  await page.route(`${apiUrl}/**`, async (route) => {
    const accept = await route.request().headerValue('accept');
    if (accept?.includes('event-stream') || route.request().method() === 'OPTIONS') {
      return await route.continue();
    }
    const response = await route.fetch();
    let body = await response.text();
    for (const [value, name] of Object.entries(values)) {
      // The metadata of a message has a space before each value.
      body = body.replaceAll(`:"${value}"`, `:"${name}"`).replaceAll(`: "${value}"`, `: "${name}"`);
    }
    return await route.fulfill({ response, body });
  });
}
