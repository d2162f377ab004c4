import type { TimelineItem } from '@session/client';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useService } from '../../../service/service.ts';
import { agentTypesQuery, canRead, titleOf } from '../../agent/agent-queries.ts';
import { agentsQuery } from '../session-queries.ts';

/** An agent of the session. A stopped agent counts too, because it may have answered before. */
export interface TextReader {
  readonly title: string;
  readonly identityEnd: string;
  readonly createdAt: string;
  readonly readsTexts: boolean;
  readonly isStopped: boolean;
}

type Said = Pick<TimelineItem, 'key' | 'role' | 'participant' | 'timestamp' | 'deliveredTo'>;

function isUndelivered({ deliveredTo }: Pick<Said, 'deliveredTo'>): boolean {
  return deliveredTo?.length === 0;
}

/**
 * Returns the notice for each text of our own that no agent has read, by key; for the newest text also what to do. An agent
 * receives everything that was said since it was requested. So a text counts as read once an agent that was requested before
 * the text has spoken after it.
 */
export function unreadTexts(
  items: readonly Said[],
  readers: readonly TextReader[],
): ReadonlyMap<string, string> {
  const unread = items.filter(
    (item, index) => isUndelivered(item) && !isReadLater(item, items.slice(index + 1), readers),
  );
  const sentences = new Map(unread.map(({ key }) => [key, 'No agent read this.']));
  const newest = unread.at(-1);
  const running = readers.filter(({ isStopped }) => !isStopped);
  if (newest) sentences.set(newest.key, sentenceOf(newest, running));
  return sentences;
}

function isReadLater(item: Said, later: readonly Said[], readers: readonly TextReader[]): boolean {
  const ends = readers.filter((one) => getsText(one, item)).map(({ identityEnd }) => identityEnd);
  const answers = later.filter(({ role }) => role === 'assistant');
  return answers.some(({ participant }) => ends.some((end) => participant?.identity.endsWith(end)));
}

function sentenceOf(item: Said, readers: readonly TextReader[]): string {
  const coming = readers.find((reader) => getsText(reader, item));
  if (coming) return `No agent has read this yet. ${coming.title} answers it as soon as it can.`;
  const since = readers.find(({ readsTexts }) => readsTexts);
  if (since) return `No agent read this. Say it again: ${since.title} has come since.`;
  const [other] = readers;
  return other
    ? `No agent read this. ${other.title} does not read texts: talk to it, or start another agent.`
    : 'No agent read this. Start an agent, and say it again.';
}

function getsText({ readsTexts, createdAt }: TextReader, { timestamp }: Said): boolean {
  return readsTexts && timestamp !== null && Date.parse(createdAt) <= Date.parse(timestamp);
}

const NONE: ReadonlyMap<string, string> = new Map();

export function useUnreadTexts(
  sessionId: string,
  items: readonly TimelineItem[],
): ReadonlyMap<string, string> {
  const { client } = useService();
  const { data: agents } = useQuery(agentsQuery(client, sessionId));
  const { data: types } = useQuery(agentTypesQuery(client));
  return useMemo(() => {
    if (!agents || !items.some(isUndelivered)) return NONE;
    const readers = agents.map((agent) => ({
      title: titleOf(types, agent.role),
      identityEnd: agent.id.slice(-8),
      createdAt: agent.createdAt,
      readsTexts: canRead(types, agent),
      isStopped: agent.status === 'Stopped',
    }));
    return unreadTexts(items, readers);
  }, [agents, types, items]);
}
