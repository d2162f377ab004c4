import type { ToolCall } from './chat-message.ts';
import type { ToolCallPart } from './completion-chunk.ts';

interface OpenCall {
  readonly index: number | undefined;
  readonly id: string | undefined;
  name: string;
  arguments: string;
  signature: string | undefined;
}

/**
 * Assembles tool calls from their parts. OpenAI numbers the parts by `index`. Other endpoints send whole calls without an
 * index, give every call the index 0, or send later parts with neither index nor id.
 */
export class ToolCallAssembler {
  readonly #calls: OpenCall[] = [];

  add(part: ToolCallPart): void {
    const call = this.#callOf(part);
    call.name += part.name ?? '';
    call.arguments += part.arguments ?? '';
    call.signature ??= part.signature;
  }

  finish(): ToolCall[] {
    const ids = new Set<string>();
    const named = this.#calls.filter(({ name }) => name.trim() !== '');
    return named.map(({ id = '', name, arguments: json, signature }, index) => {
      const unique = id !== '' && !ids.has(id) ? id : `call_${index + 1}_${ids.size}`;
      ids.add(unique);
      return { id: unique, name: name.trim(), arguments: json, signature };
    });
  }

  #callOf(part: ToolCallPart): OpenCall {
    const known = this.#knownCall(part);
    if (known) return known;
    const { index, id } = part;
    const call = { index, id: id || undefined, name: '', arguments: '', signature: undefined };
    this.#calls.push(call);
    return call;
  }

  #knownCall({ index, id, name }: ToolCallPart): OpenCall | undefined {
    const hasOtherId = (call: OpenCall) => Boolean(id && call.id && call.id !== id);
    const last = this.#calls.findLast((call) => index === undefined || call.index === index);
    if (!last || hasOtherId(last)) return undefined;
    if (index !== undefined || (id && last.id === id)) return last;
    // Without index and id, a name begins the next call; arguments alone continue the last one.
    return name && last.name !== '' ? undefined : last;
  }
}
