import { foreignCommand } from '../../cli/command.ts'

export default foreignCommand(
  'A flood that doubles, with servers that follow (repository only)',
  [{ line: 'autoscale --help', text: 'the options' }],
  () => import('../autoscale.ts'),
)
