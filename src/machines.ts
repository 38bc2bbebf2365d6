export {
  THREAD_ACTIONS,
  threadMachine,
  type ThreadAction,
  type ThreadMachineContext,
  type ThreadMachineEvent,
} from '../machines/thread.machine.ts';
export { threadChart } from '../machines/thread.chart.ts';
export {
  SUPERVISOR_ACTIONS,
  supervisorMachine,
  type SupervisorAction,
  type SupervisorEvent,
} from '../machines/supervisor.machine.ts';
export { supervisorChart } from '../machines/supervisor.chart.ts';
export { compileMachine, type Onlooker, type OnlookerOf } from '../machines/compile.ts';
