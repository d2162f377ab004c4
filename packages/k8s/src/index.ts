export { kubernetesModule } from './kubernetes-module.ts';
