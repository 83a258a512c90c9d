import { GATE_ARGS, gateOf } from '../api/gate-api.ts'
import { command, UsageError } from '../command.ts'
import { type ExplanationShape, explanationText } from '../view/explanation-text.ts'

export default command({
  description: 'Explain what the gate would do with a request now, and why',
  examples: [
    { line: 'explain https://shop.example.com/cart', text: 'route, class, rules, verdict' },
    { line: 'explain /cart --cookie member=1 --method POST', text: 'as a member' },
    { line: 'explain / --header "X-Plan: gold" --ip 203.0.113.7', text: 'headers may be repeated' },
  ],
  args: {
    address: {
      type: 'positional',
      description: 'URL, or a path at the gate',
      valueHint: 'URL',
      required: true,
    },
    method: { type: 'string', description: 'HTTP method', valueHint: 'METHOD', default: 'GET' },
    header: { type: 'string', description: 'A header, repeatable', valueHint: '"NAME: VALUE"' },
    cookie: { type: 'string', description: 'A cookie, repeatable', valueHint: 'NAME=VALUE' },
    ip: { type: 'string', description: "The client's address", valueHint: 'ADDRESS' },
    country: { type: 'string', description: "The client's country", valueHint: 'CODE' },
    ...GATE_ARGS,
  },
  async run(args, _output, words) {
    const gate = gateOf(args)
    if (!URL.canParse(args.address, gate.url))
      throw new UsageError(`URL: expected an address, got "${args.address}".`)
    const address = new URL(args.address, gate.url)
    const { method, ip, country } = args
    const explanation = await gate.post<ExplanationShape>('/explain', {
      url: address.href,
      method: method.toUpperCase(),
      headers: headersOf(valuesOf(words, 'header'), valuesOf(words, 'cookie')),
      ...(ip === undefined ? {} : { ip }),
      ...(country === undefined ? {} : { country }),
    })
    return { text: explanationText(explanation), json: explanation }
  },
})

function headersOf(lines: readonly string[], cookies: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const line of lines) {
    const [, name, value] = /^([^:\s]+):\s*(.*)$/.exec(line) ?? []
    if (name === undefined) throw new UsageError(`--header: expected "Name: value", got "${line}".`)
    headers[name] = value!
  }
  const wrong = cookies.find((cookie) => !cookie.includes('='))
  if (wrong !== undefined) throw new UsageError(`--cookie: expected NAME=VALUE, got "${wrong}".`)
  if (cookies.length > 0) headers.Cookie = cookies.join('; ')
  return headers
}

/** All values of an option that may be repeated. */
function valuesOf(words: readonly string[], option: string): readonly string[] {
  return words.flatMap((word, i) => {
    if (word === `--${option}`) return [words[i + 1] ?? '']
    return word.startsWith(`--${option}=`) ? [word.slice(option.length + 3)] : []
  })
}
