import type { IncomingAudio } from '@session/media/room';
import type { Framework, TurnDetector } from '../framework.ts';
import { type ListenerEvents, PersonListener, type TurnTimes } from './person-listener.ts';

export interface RoomHearingOptions {
  readonly framework: () => Promise<Framework>;
  readonly language: string;
  readonly times: TurnTimes;
  readonly events: ListenerEvents;
  /** Called when nobody can be heard because the framework cannot be loaded. */
  readonly failed: (error: unknown) => void;
  readonly log: (line: string) => void;
}

export class RoomHearing {
  readonly #options: RoomHearingOptions;

  constructor(options: RoomHearingOptions) {
    this.#options = options;
  }

  hear(audio: IncomingAudio): void {
    const failed = async (error: unknown) => {
      this.#options.log(`listening failed: ${String(error)}`);
      // The media client buffers all sound that is not read.
      await audio.close();
    };
    this.#listen(audio)
      .catch(failed)
      .catch(() => {});
  }

  async #listen(audio: IncomingAudio): Promise<void> {
    const { times, events } = this.#options;
    const framework = await this.#loadFramework();
    const detector = await this.#openDetector(framework);
    await new PersonListener({ audio, framework, detector, times, events }).listen();
  }

  async #loadFramework(): Promise<Framework> {
    try {
      return await this.#options.framework();
    } catch (error) {
      this.#options.failed(error);
      throw error;
    }
  }

  async #openDetector(framework: Framework): Promise<TurnDetector | undefined> {
    try {
      return await framework.openTurnDetector?.(this.#options.language);
    } catch (error) {
      this.#options.log(`loading end-of-turn model failed: ${String(error)}`);
      return undefined;
    }
  }
}
