exec('def (')
