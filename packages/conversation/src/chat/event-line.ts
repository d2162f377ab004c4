import type { AgentEvent } from '@session/contract/room';
import { cutText, oneLine } from '../clean-text.ts';

const MAX_PART_LENGTH = 100;

export function eventLine(event: AgentEvent): string {
  const { type, message } = event;
  const state = 'state' in event ? ` ${event.state}` : '';
  const line = `  · ${type}${state}: ${printable(message)}`;
  if (event.type !== 'tool_call') return line;
  const { arguments: args } = event;
  const sent = args === undefined ? '' : ` ${partOf(JSON.stringify(args))}`;
  const result =
    'result' in event && event.result !== undefined ? ` → ${partOf(event.result)}` : '';
  return `${line}${sent}${result}`;
}

function partOf(text: string): string {
  return printable(cutText(oneLine(text), MAX_PART_LENGTH));
}

export function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}--\n]/gv, '');
}
