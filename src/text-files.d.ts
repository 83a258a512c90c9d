/** Pages that a configuration imports: `import page from './busy.html'` is the file's text. */

declare module '*.html' {
  const text: string
  export default text
}

declare module '*.txt' {
  const text: string
  export default text
}
