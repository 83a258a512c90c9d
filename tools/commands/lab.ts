import { foreignCommand } from '../../cli/command.ts'

export default foreignCommand(
  'Experiments in simulated time (repository only)',
  [{ line: 'lab list', text: 'the scenarios' }],
  () => import('../../lab/cli.ts'),
)
