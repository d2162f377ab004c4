/**
 * Returns what each of our programs needs of this environment, and nothing else of it: the path, the folder of Node's compile cache,
 * with which a program starts in half the time, the folder of the built agents, which start in a third of the time, and what
 * `npm run test:often -- --late` sets.
 */
export function programEnv(): NodeJS.ProcessEnv {
  const { PATH, NODE_COMPILE_CACHE, AGENT_PROGRAMS_DIR, NODE_OPTIONS, LATE_WRITES_MS } =
    process.env;
  const late = LATE_WRITES_MS === undefined ? {} : { NODE_OPTIONS, LATE_WRITES_MS };
  return { PATH, NODE_COMPILE_CACHE, AGENT_PROGRAMS_DIR, ...late };
}
