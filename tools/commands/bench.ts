import { foreignCommand } from '../../cli/command.ts'

export default foreignCommand(
  'Measure what the gate costs (repository only)',
  [{ line: 'bench --quick', text: 'rough figures' }],
  () => import('../../bench/cli.ts'),
)
