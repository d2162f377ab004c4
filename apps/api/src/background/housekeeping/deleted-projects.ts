import * as db from '@session/db';
import type { Deps } from '../../deps.ts';
import { FailedIds } from './failed-ids.ts';

export interface MarkingLimits {
  readonly batchSize?: number;
  readonly batches?: number;
  readonly now?: () => number;
}

const BATCHES = 10;

/**
 * Returns the chore that marks the sessions of deleted projects. Each call marks a part of them, and returns how many.
 * The request that deletes a project marks the first ones. No session is added later, so one pass over a project is
 * enough. The places are only in the memory of this process: another process that takes the lead begins again. Projects
 * take turns, and each call begins with the project whose turn is next. A failing project delays no other: its error is
 * thrown at the end, and `FailedIds` may skip it for a minute.
 */
export function createSessionMarking(
  { database }: Pick<Deps, 'database'>,
  { batchSize = db.MARKED_AT_ONCE, batches = BATCHES, now }: MarkingLimits = {},
): () => Promise<string[]> {
  let finished = new Set<string>();
  const places = new Map<string, db.MarkingPlace>();
  const failed = new FailedIds(now);
  let waiting: string[] = [];
  return async () => {
    const projects = await db.listDeletedProjects(database);
    finished = new Set(projects.filter((id) => finished.has(id)));
    const omitted = new Set([...finished, ...failed.list()]);
    const unfinished = new Set(projects.filter((id) => !omitted.has(id)));
    waiting = [...new Set([...waiting, ...projects])].filter((id) => unfinished.has(id));
    const marked: string[] = [];
    const failures: Error[] = [];
    for (let batch = 0; batch < batches; batch += 1) {
      const id = waiting.shift();
      if (id === undefined) break;
      try {
        const step = { limit: batchSize, place: places.get(id) };
        const { count, next } = await db.markSessionsOfProject(database, id, step);
        failed.succeeded(id);
        if (count > 0) marked.push(`${count} sessions of project ${id}`);
        if (next) {
          places.set(id, next);
          waiting.push(id);
        } else {
          places.delete(id);
          finished.add(id);
        }
      } catch (error) {
        failed.add(id, error);
        failures.push(new Error(`marking sessions of project ${id} failed`, { cause: error }));
      }
    }
    if (failures.length > 0)
      throw new AggregateError(failures, 'marking sessions of deleted projects failed');
    return marked;
  };
}
