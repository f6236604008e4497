# Recipes, overlays and the compiler script of images, as `cellblock rootfs build` finds them. Linked,
# not copied, in the build folder: a change of a recipe needs no build.
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/share/cellblock/rootfs)
foreach(entry recipes overlay compile.py fonts.py)
  file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR}/${entry}
    ${CMAKE_BINARY_DIR}/share/cellblock/rootfs/${entry} SYMBOLIC)
endforeach()
install(DIRECTORY recipes overlay DESTINATION share/cellblock/rootfs USE_SOURCE_PERMISSIONS)
install(FILES compile.py fonts.py DESTINATION share/cellblock/rootfs)
