/**
 * Returns what each of our programs needs of this environment, and nothing else of it: the path, and the folder of Node's
 * compile cache, with which a program starts in half the time.
 */
export function programEnv(): NodeJS.ProcessEnv {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  return { PATH, NODE_COMPILE_CACHE };
}
