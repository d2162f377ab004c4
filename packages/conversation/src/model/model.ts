import type { AnswerEnd } from './answer.ts';
import type { TokenUsage } from './chat-message.ts';
import type { ModelRequest } from './request-dialect.ts';

export type ModelOutput =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'retry'; readonly isNewlyBusy: boolean }
  /** A request that failed once the model had begun its answer, so it cost tokens. */
  | { readonly type: 'wasted'; readonly usage: TokenUsage | undefined }
  | ({ readonly type: 'end' } & AnswerEnd);

/** `ModelClient` asks one endpoint, `FallbackModel` two of them; `openModel` chooses by the settings. */
export interface Model {
  readonly hasTools: boolean;
  /** False once the endpoint has refused some tools, which are then left out. */
  readonly hasAllTools: boolean;
  readonly hasJson: boolean;
  /** The model that was asked last; undefined until an endpoint has named its only model. */
  readonly name: string | undefined;
  readonly isFallback: boolean;
  /**
   * Yields the answer to a request. Throws a ModelFailure when there is none, or when the answer breaks off. When `signal`
   * aborts, aborts the request and throws the signal's reason.
   */
  stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelOutput>;
}
