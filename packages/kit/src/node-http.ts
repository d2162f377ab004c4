/** The module `node:http`. Importing it by its name would also load `fetch`: 5 MB in each agent, and 40 ms of its start. */
export const http = process.getBuiltinModule('node:http');
