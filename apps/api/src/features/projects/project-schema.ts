import { Id } from '@session/contract';
import * as z from 'zod';

/** The id of a project in a path. */
export const projectParams = z.object({ id: Id });

/** What names a project. */
export const projectBody = z
  .strictObject({ name: z.string().trim().min(1).max(100) })
  .meta({ examples: [{ name: 'First' }] });
