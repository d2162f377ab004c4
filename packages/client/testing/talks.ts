import { openRoomService } from '@session/media';
import { startMediaServer, type TestMediaServer } from '@session/testing';
import {
  type Browser,
  type BrowserContext,
  browserTest,
  type Page,
} from '@session/testing/browser-test';
import { expect } from 'vitest';
import type { AdminClient } from '../src/admin.ts';
import type { TimelineItem } from '../src/index.ts';
import { servePage } from './page-server.ts';
import { newPerson } from './person.ts';
import { type RealApi, startRealApi } from './real-api.ts';

/** An API and a media server of a test file's own, and a server of the page. */
export interface TalkWorld {
  readonly browser: Browser;
  readonly api: RealApi;
  readonly media: TestMediaServer;
  readonly origin: string;
  readonly client: AdminClient;
  readonly projectId: string;
}

export interface BrowserTalker {
  readonly page: Page;
  readonly context: BrowserContext;
}

export interface TalkSession {
  readonly sessionId: string;
  /** Waits until a recorder is in the room: it receives what is said from then on. */
  readonly untilRecorded: () => Promise<void>;
  /** Opens a page, joins the conversation there as a person of this name, and returns it when the conversation is live. */
  readonly join: (name: string, options?: BrowserJoinOptions) => Promise<BrowserTalker>;
  readonly history: () => Promise<SaidInRoom[]>;
}

interface BrowserJoinOptions {
  readonly before?: (page: Page) => Promise<unknown>;
}

export type SaidInRoom = Pick<TimelineItem, 'id' | 'content' | 'timestamp'>;

/** A test of the SDK in a real Chromium, with a `world` and a `session` in it. */
export const talkTest = browserTest
  .extend('world', { scope: 'file' }, async ({ browser }, { onCleanup }): Promise<TalkWorld> => {
    const stack = new AsyncDisposableStack();
    onCleanup(() => stack.disposeAsync());
    const { origin } = stack.use(await servePage());
    const media = stack.use(await startMediaServer());
    const api = stack.use(await startRealApi(media, [origin]));
    const { client } = await newPerson(api, 'Owner');
    const { id: projectId } = await client.projects.create({ name: 'First' });
    return { browser, api, media, origin, client, projectId };
  })
  .extend('session', async ({ world }, { onCleanup }): Promise<TalkSession> => {
    const { api, client, projectId } = world;
    const stack = new AsyncDisposableStack();
    onCleanup(() => stack.disposeAsync());
    const { id: sessionId } = await client.sessions.create(projectId, { name: 'Hello' });
    return {
      sessionId,
      untilRecorded: async () => await untilRecorded(client, sessionId),
      async join(name, { before } = {}) {
        const { email, token } = await newPerson(api, name);
        await client.members.add(projectId, { email });
        const context = await world.browser.newContext({ permissions: ['microphone'] });
        stack.defer(() => context.close());
        context.setDefaultTimeout(60_000);
        const page = await context.newPage();
        await before?.(page);
        await page.goto(world.origin);
        await page.evaluate(
          async (options) => {
            window.talk = new window.TalkPage(options);
            await window.talk.conversation.open();
          },
          { baseUrl: api.url, token, sessionId },
        );
        await page.waitForFunction(() => window.talk.connection === 'live');
        return { page, context };
      },
      async history() {
        const rows = await client.messages.list(sessionId).toArray({ limit: 10_000 });
        return rows
          .filter(({ role }) => role !== 'system')
          .toReversed()
          .map(shapeOf);
      },
    };
  });

async function untilRecorded(client: AdminClient, sessionId: string): Promise<void> {
  await expect
    .poll(async () => (await client.sessions.get(sessionId)).recording.status)
    .toBe('recording');
}

export async function saidIn({ page }: BrowserTalker): Promise<SaidInRoom[]> {
  const items = await page.evaluate(() => window.talk.said());
  return items.map(shapeOf);
}

/** Opens the microphone of a page. Returns the SID of its track. */
export async function openMicrophone(
  { page }: BrowserTalker,
  media: TestMediaServer,
  sessionId: string,
): Promise<string> {
  const own = await page.evaluate(async () => {
    await window.talk.room.microphone.enable();
    return window.talk.room.getSnapshot().participants.find(({ isLocal }) => isLocal)?.identity;
  });
  const tracks = async () => {
    const listed = await openRoomService(media).listParticipants(sessionId);
    return listed.find(({ identity }) => identity === own)?.trackSids ?? [];
  };
  await expect.poll(tracks).toHaveLength(1);
  return (await tracks())[0] ?? '';
}

function shapeOf({ id, content, timestamp }: SaidInRoom): SaidInRoom {
  return { id, content, timestamp };
}
