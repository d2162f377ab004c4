export { provideLivekit } from './livekit/program.ts';
export { prepareLivekit } from './livekit/server.ts';
export { preparePostgres } from './postgres/server.ts';
export { nodeFlags } from './stack/app-program.ts';
export { readStackFile, type StackFile } from './stack/stack-file.ts';
export { firstFreePort } from './supervision/ports.ts';
export { ProcessTable } from './supervision/process-table.ts';
export { type Note, openProgress, type Progress, plainProgress } from './supervision/progress.ts';
export { Service, type ServiceHost, type ServiceSpec } from './supervision/service.ts';
