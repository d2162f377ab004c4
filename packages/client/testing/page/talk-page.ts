import { browserRoom, tokenSource } from '../../src/browser.ts';
import {
  type Client,
  type Conversation,
  createClient,
  type TimelineItem,
} from '../../src/index.ts';
import { watchHeld } from './held.ts';
import { watchUnplug } from './unplug.ts';

export interface TalkOptions {
  readonly baseUrl: string;
  readonly token: string;
  readonly sessionId: string;
}

/** What a test does with a page: a conversation of the SDK as a web client has it. */
export class TalkPage {
  readonly room = browserRoom();
  readonly client: Client;
  readonly conversation: Conversation;
  readonly #sessionId: string;
  /** Every list that was shown, as `content: state` of each message that a participant said. */
  readonly shown: string[][] = [];
  /** The keys of the messages in each of these lists. */
  readonly keys: string[][] = [];
  readonly frames: number[] = [];
  readonly #ids: string[] = [];
  readonly #voice = { isOn: false };

  constructor({ baseUrl, token, sessionId }: TalkOptions) {
    this.client = createClient({ baseUrl, token });
    this.#sessionId = sessionId;
    this.conversation = this.client.conversation(sessionId, { room: this.room });
    this.conversation.timeline.subscribe(() => {
      this.shown.push(this.said().map(({ content, state }) => `${content}: ${state}`));
      this.keys.push(this.said().map(({ key }) => key));
    });
  }

  get connection(): string {
    return this.conversation.timeline.getSnapshot().connection;
  }

  get items(): readonly TimelineItem[] {
    return this.conversation.timeline.getSnapshot().items;
  }

  /** Returns the items that are no joins, leaves or gaps. */
  said(): TimelineItem[] {
    return this.items.filter(({ role }) => role !== 'system');
  }

  /** Says `<name> <number>` four times a second, until `stopTalking` is called. */
  async talk(name: string): Promise<void> {
    this.#voice.isOn = true;
    for (let count = 1; this.#voice.isOn; count += 1) {
      this.#ids.push(await this.conversation.say(`${name} ${count}`));
      await new Promise((resolve) => {
        setTimeout(resolve, 250);
      });
    }
  }

  stopTalking(): readonly string[] {
    this.#voice.isOn = false;
    return this.#ids;
  }

  /** Sends again what has failed. Returns the states of all our messages. */
  sayAgain(): string[] {
    for (const { id, state } of this.said()) {
      if (state === 'failed' || state === 'unrecorded') this.conversation.sayAgain(id);
    }
    return this.said().map(({ state }) => state);
  }

  async fetchToken(): Promise<object> {
    const source = await tokenSource(this.client, this.#sessionId);
    return await source.fetch({});
  }
}

declare global {
  interface Window {
    talk: TalkPage;
    TalkPage: typeof TalkPage;
    held: () => string[];
    unplugMicrophones: () => void;
  }
}

window.held = watchHeld();
window.unplugMicrophones = watchUnplug();
window.TalkPage = TalkPage;
