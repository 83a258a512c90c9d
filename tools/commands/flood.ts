import { foreignCommand } from '../../cli/command.ts'

export default foreignCommand(
  'Send a flash crowd to a gate on this machine (repository only)',
  [{ line: 'flood --compare', text: 'first without the gate, then with it' }],
  () => import('../flood.ts'),
)
