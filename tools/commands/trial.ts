import { foreignCommand } from '../../cli/command.ts'

export default foreignCommand(
  'Trials of the gate in the real runtime (repository only)',
  [{ line: 'trial --help', text: 'the cases' }],
  () => import('../trial.ts'),
)
