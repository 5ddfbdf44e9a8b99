# build_web_pages() builds web/ into build/web, once for all build trees, and sets PENSTOCK_WEB_PAGES to
# where report.html and dashboard.html are. Without npm both are empty, and the program says so where
# it would need them.
option(PENSTOCK_WEB "Build the pages of web/ into the program" ON)

function(build_web_pages)
  find_program(NPM npm)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/web/src/*)
  if(PENSTOCK_WEB AND NPM AND sources)
    set(pages ${CMAKE_SOURCE_DIR}/build/web)
    file(GLOB settings CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/web/*.html ${CMAKE_SOURCE_DIR}/web/*.mjs
      ${CMAKE_SOURCE_DIR}/web/*.ts ${CMAKE_SOURCE_DIR}/web/*.json)
    add_custom_command(OUTPUT ${pages}/report.html ${pages}/dashboard.html
      COMMAND ${CMAKE_SOURCE_DIR}/tools/build-web.sh ${pages}
      DEPENDS ${sources} ${settings} ${CMAKE_SOURCE_DIR}/tools/build-web.sh
      COMMENT "Building the pages of web/" VERBATIM)
  else()
    message(STATUS "the pages of web/ are not built: npm is absent, or PENSTOCK_WEB is off")
    set(pages ${CMAKE_BINARY_DIR}/no-web)
    file(WRITE ${pages}/report.html "")
    file(WRITE ${pages}/dashboard.html "")
  endif()
  set(PENSTOCK_WEB_PAGES ${pages} PARENT_SCOPE)
endfunction()

# embed_web_pages(<target> <source>) lets that source file hold the pages.
function(embed_web_pages target source)
  build_web_pages()
  add_custom_target(web_pages DEPENDS ${PENSTOCK_WEB_PAGES}/report.html ${PENSTOCK_WEB_PAGES}/dashboard.html)
  add_dependencies(${target} web_pages)
  set(source ${CMAKE_SOURCE_DIR}/${source})
  set_source_files_properties(${source} PROPERTIES
    COMPILE_DEFINITIONS PENSTOCK_WEB_PAGES="${PENSTOCK_WEB_PAGES}"
    OBJECT_DEPENDS "${PENSTOCK_WEB_PAGES}/report.html;${PENSTOCK_WEB_PAGES}/dashboard.html")
endfunction()
