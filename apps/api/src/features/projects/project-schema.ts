import { Id } from '@session/contract';
import * as z from 'zod';

/** The path parameter of one project. */
export const projectParams = z.object({ id: Id });

/** The body that names a project. */
export const projectBody = z
  .strictObject({ name: z.string().trim().min(1).max(100) })
  .meta({ examples: [{ name: 'First' }] });
