import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { joinRoom, startSession } from '../testing/conversations.ts';
import { journey } from '../testing/journey.ts';
import { untilShown } from '../testing/layout.ts';

/** Installs a clock that a test can put forward, because the pages read only every half minute who is signed in. */
const before = async (page: Page) => await page.context().clock.install();
const LATER_MS = 31_000;

const GONE = /There is no such project|“Onboarding call” is gone|This agent is gone/;

/**
 * When the clock is put forward, LiveKit’s SDK assumes that the server was silent, and reconnects. The test may interrupt this.
 */
const RECONNECTING = /ICE restart|WebSocket is closed before the connection is established/;

/** Joins on Ravi's page, and waits until the page is in the room, because an interrupted join causes other faults. */
async function untilJoined(page: Page): Promise<void> {
  await joinRoom(page, 'Ravi Rao');
}

journey(
  'a member who is removed learns so on each page that is open',
  async ({ ada, signUp, open, expectFault }) => {
    expectFault(/status of 40[134]/);
    expectFault(RECONNECTING);
    const { sessionId, projectId } = await startSession(ada);
    const agent = await ada.client.agents.start(sessionId, { role: 'echo-agent' });
    const ravi = await signUp('Ravi Rao');
    await ada.client.members.add(projectId, { email: ravi.email });
    const addresses = [
      `/sessions/${sessionId}`,
      `/projects/${projectId}`,
      `/projects/${projectId}/templates`,
      `/projects/${projectId}/members`,
      `/projects/${projectId}/monitoring`,
      `/sessions/${sessionId}/agents/${agent.id}`,
    ];
    const first = await open(addresses[0] ?? '/', { as: ravi, width: 600, before });
    await untilJoined(first);
    const pages = [first];
    for (const address of addresses.slice(1)) {
      const page = await first.context().newPage();
      await page.goto(address);
      pages.push(page);
    }
    for (const page of pages) await untilShown(page);
    await ada.client.members.remove(projectId, ravi.id);
    await first.context().clock.fastForward(LATER_MS);
    for (const page of pages) await page.getByRole('heading', { name: GONE }).waitFor();
    // The pages of the project show the same, so axe needs to check only the first.
    for (const page of pages.slice(2, 5)) await page.close();
  },
);

journey(
  'an admin who becomes a member is offered less on each page that is open',
  async ({ ada, signUp, open, expectFault }) => {
    expectFault(RECONNECTING);
    // A page may request once more what its user may no longer see.
    expectFault(/status of 403 .*\/invitations/);
    const { sessionId, projectId } = await startSession(ada);
    const agent = await ada.client.agents.start(sessionId, { role: 'echo-agent' });
    await ada.client.agents.untilRunning(agent.id);
    const ravi = await signUp('Ravi Rao');
    await ada.client.members.add(projectId, { email: ravi.email, role: 'ADMIN' });
    const session = `/sessions/${sessionId}`;
    const offered = [
      [`/projects/${projectId}/templates`, 'New environment'],
      [`/projects/${projectId}/members`, 'Add a member'],
      [session, 'Close'],
      [`${session}/agents/${agent.id}`, 'Stop'],
    ] as const;
    const first = await open('/?all=true', { as: ravi, before });
    const pages: { readonly page: Page; readonly name: string }[] = [];
    for (const [address, name] of offered) {
      const page = await first.context().newPage();
      await page.goto(address);
      await page.getByRole('button', { name, exact: true }).waitFor();
      if (address === session) await untilJoined(page);
      pages.push({ page, name });
    }
    await ada.client.members.changeRole(projectId, ravi.id, { role: 'MEMBER' });
    await first.context().clock.fastForward(LATER_MS);
    for (const { page, name } of pages) {
      await expect.poll(() => page.getByRole('button', { name, exact: true }).count()).toBe(0);
    }
  },
);
