import { expect } from 'vitest';
import { shownWords, startSession } from '../testing/conversations.ts';
import { type HostileProject, LONGEST_WORD, makeHostileProject } from '../testing/hostile.ts';
import { examine, journey as plainJourney } from '../testing/journey.ts';
import { movements, overflows, untilShown } from '../testing/layout.ts';
import { signUp } from '../testing/people.ts';
import { WatchedPage } from '../testing/watched-page.ts';

const journey = plainJourney
  .extend('hostile', { scope: 'file' }, async () => {
    const person = await signUp('<b>Ada</b> \u202E\u200B');
    return { person, ...(await makeHostileProject(person)) };
  })
  // A page that goes from address to address takes half as long as a new one for each.
  .extend('watched', { scope: 'file' }, async ({ browser, hostile }, { onCleanup }) => {
    const watched = await WatchedPage.open(browser, '/account', { as: hostile.person });
    onCleanup(() => watched.close());
    return watched;
  })
  .extend('page', async ({ watched, expected, task }, { onCleanup }) => {
    onCleanup(async () => {
      try {
        await examine([watched], expected, task);
      } finally {
        watched.forgetFaults();
      }
    });
    const { page } = watched;
    await page.emulateMedia({ forcedColors: 'none' });
    await page.setViewportSize({ width: 1280, height: 800 });
    return page;
  });

const MISSING = '01890a5d-ac96-774b-bcce-b302099a8057';

/** Each page of a user, by its name. */
const PAGES: Readonly<Record<string, (ids: HostileProject) => string>> = {
  'list of sessions': ({ projectId }) => `/projects/${projectId}`,
  'list of templates': ({ projectId }) => `/projects/${projectId}/templates`,
  'list of members': ({ projectId }) => `/projects/${projectId}/members`,
  'list of API keys': ({ projectId }) => `/projects/${projectId}/keys`,
  'list of erasures': ({ projectId }) => `/projects/${projectId}/erasures`,
  'list of webhooks': ({ projectId }) => `/projects/${projectId}/webhooks`,
  'page of the account': () => '/account',
  search: ({ projectId }) => `/projects/${projectId}/search?q=hello`,
  'audit trail': ({ projectId }) => `/projects/${projectId}/audit`,
  'page of monitoring': ({ projectId }) => `/projects/${projectId}/monitoring`,
  'agent panel': ({ sessionId }) => `/sessions/${sessionId}?panel=agent`,
  'plan panel': ({ sessionId }) => `/sessions/${sessionId}?panel=plan`,
  'recording panel': ({ sessionId }) => `/sessions/${sessionId}?panel=recording`,
  'people panel': ({ sessionId }) => `/sessions/${sessionId}?panel=people`,
  'closed session': ({ closedSessionId }) => `/sessions/${closedSessionId}`,
  'page of an agent': ({ sessionId, agentId }) => `/sessions/${sessionId}/agents/${agentId}`,
};

journey.for(Object.keys(PAGES))(
  'the %s with hostile texts fits every width, in forced colours too, and nothing moves',
  async (name, { hostile, page, axe }) => {
    await page.goto(PAGES[name]?.(hostile) ?? '/');
    await untilShown(page);
    await axe(page);
    expect.soft(await movements(page)).toEqual([]);
    // A window of 1280 by 800 pixels at 200 %.
    await page.setViewportSize({ width: 640, height: 400 });
    expect.soft(await overflows(page)).toEqual([]);
    await page.emulateMedia({ forcedColors: 'active' });
    await page.setViewportSize({ width: 320, height: 640 });
    expect.soft(await overflows(page)).toEqual([]);
  },
);

journey('a word of 32,000 letters is shown whole, and breaks no line', async ({ ada, open }) => {
  const { sessionId } = await startSession(ada);
  await ada.client.messages.say(sessionId, { content: LONGEST_WORD });
  const page = await open(`/sessions/${sessionId}`, { as: ada });
  await expect.poll(() => shownWords(page)).toEqual([LONGEST_WORD]);
  for (const width of [1280, 640, 320]) {
    await page.setViewportSize({ width, height: 640 });
    expect(await overflows(page)).toEqual([]);
  }
  // Closed before axe would measure each of its hundreds of lines. Other pages have shorter texts.
  await page.close();
});

journey.for(['/sign-in', '/sign-up', '/nowhere'])(
  '%s without a token has a heading, fits 320 pixels and has no fault',
  async (address, { open }) => {
    const page = await open(address, { width: 320, height: 640 });
    await untilShown(page);
    expect(await overflows(page)).toEqual([]);
  },
);

journey('a page of a user leads to the form when nobody is signed in', async ({ open }) => {
  const page = await open('/?all=true');
  await page.waitForURL('**/sign-in?*');
  expect(new URL(page.url()).searchParams.get('from')).toBe('/?all=true');
});

journey.for([
  `/sessions/${MISSING}`,
  `/projects/${MISSING}`,
  `/sessions/${MISSING}/agents/${MISSING}`,
])('%s is missing, and a page that says so', async (address, { page, expectFault }) => {
  expectFault(/status of 404/);
  await page.goto(address);
  await page
    .getByText(/not found|no longer|does not exist|was deleted/i)
    .first()
    .waitFor();
});
