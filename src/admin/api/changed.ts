import type { AuditValue, OperatorChange } from '../../coordinator/operator/records.ts'
import type { Identity } from '../auth/identity.ts'

/** What the audit log has about a change: who made it, and one sentence. */
export function changed(
  { by, via }: Pick<Identity, 'by' | 'via'>,
  route: string,
  kind: OperatorChange['kind'],
  what: string,
  to: AuditValue,
): OperatorChange {
  return { operator: { by, via }, route, kind, text: `${by} ${what}.`, from: null, to }
}
