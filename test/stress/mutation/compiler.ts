import { resolve } from 'node:path'
import ts from 'typescript'

const { config } = ts.readConfigFile('tsconfig.build.json', ts.sys.readFile)
const { options, fileNames } = ts.parseJsonConfigFileContent(config, ts.sys, '.')

/** The file that contains the mutant, if any. */
let changed: { path: string; text: string } = { path: '', text: '' }
let version = 0

const service = ts.createLanguageService({
  ...ts.sys,
  useCaseSensitiveFileNames: () => ts.sys.useCaseSensitiveFileNames,
  getCompilationSettings: () => options,
  getScriptFileNames: () => fileNames,
  getScriptVersion: (path) => (path === changed.path ? String(version) : '0'),
  getScriptSnapshot: (path) => {
    const text = path === changed.path ? changed.text : ts.sys.readFile(path)
    return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text)
  },
  getDefaultLibFileName: ts.getDefaultLibFilePath,
})

/** Returns whether a file compiles with a changed text. */
export function compiles(file: string, text: string): boolean {
  changed = { path: resolve(file), text }
  version++
  return (
    service.getSyntacticDiagnostics(changed.path).length + service.getSemanticDiagnostics(changed.path).length === 0
  )
}
